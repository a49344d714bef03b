<<<<<<<< HEAD:adiuva/workspace/built/assets/Unfetched-BagdOqYK.js
import{n as e}from"./translate-Dy2KXA3Q.js";import{t}from"./jsx-runtime-C3cWAN_r.js";var n=t();function r(t){return(0,n.jsxs)(`p`,{className:`alert row`,role:`alert`,children:[(0,n.jsx)(`span`,{className:`grows`,children:e(`The server cannot be reached, or has a new version.`)}),(0,n.jsx)(`button`,{type:`button`,className:`button`,onClick:()=>location.reload(),children:e(`Load the page again`)})]})}export{r as t};
========
import{n as e}from"./translate-Dv0npYFl.js";import{t}from"./jsx-runtime-C3cWAN_r.js";var n=t();function r(t){return(0,n.jsxs)(`p`,{className:`alert row`,role:`alert`,children:[(0,n.jsx)(`span`,{className:`grows`,children:e(`The server cannot be reached, or has a new version.`)}),(0,n.jsx)(`button`,{type:`button`,className:`button`,onClick:()=>location.reload(),children:e(`Load the page again`)})]})}export{r as t};
>>>>>>>> words:adiuva/workspace/built/assets/Unfetched-Cd6Zg1JZ.js
